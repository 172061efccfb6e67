"""Pages of the site that follow from the registry, from runs and from the works."""
