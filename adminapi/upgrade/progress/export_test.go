package progress

// Catalogue is every code that is known.
var Catalogue = catalogue
