"""What engines are made of: layers that are followed, norms of single gradients, and how both are tried."""
