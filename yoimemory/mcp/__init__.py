"""The MCP surface: twelve tools and one resource template over the same verbs as JSON and the command line."""
