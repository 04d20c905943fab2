// The only script of our own. Keys are registered in one place, so that no two share a meaning.
"use strict";
