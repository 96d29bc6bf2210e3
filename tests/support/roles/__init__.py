"""Roles that are enforced: each AWS call of a function or a machine is decided by the policies that Terraform makes."""
