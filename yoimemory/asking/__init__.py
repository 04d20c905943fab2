"""How a workspace asks: words that changed their meaning, and searches worth asking again."""
