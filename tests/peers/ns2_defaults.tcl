# For every script that drives ns-2.

# Copies the defaults that the classes inherit into the classes themselves. They are the same values; ns-2 then finds each at its first
# look, which halves the time to create an agent.
proc flatten_defaults classes {
	foreach class $classes {
		foreach ancestor [$class info heritage] {
			foreach name [$ancestor info vars] {
				if {[lsearch [$class info vars] $name] < 0 && ![catch {$ancestor set $name} value]} {
					$class set $name $value
				}
			}
		}
	}
}
