"""Events, one file each: what was released, and all that accountants know of it. Composed, sampled, single ones."""
