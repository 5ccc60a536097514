"""What published accountants share."""
