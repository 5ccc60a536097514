"""Budgets that were printed or reported, one file each: a class derived from `wassdp.audit.budget.AttackedBudget`."""
