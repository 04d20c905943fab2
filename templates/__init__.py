"""Templates travel with the package, so that an installed copy finds them."""
