package plain_test

import (
	"fmt"

	"geodeck/adminapi/plain"
)

func Example() {
	sent := "Disk\x1b[2J full\u202e on\nnode\t1"
	fmt.Printf("%q\n", plain.Line(sent))
	fmt.Printf("%q\n", plain.Text(sent))
	fmt.Println(plain.Clip("arcgis-relational-store-primary", 16))
	// Output:
	// "Disk full on node 1"
	// "Disk full on\nnode    1"
	// arcgis-relation…
}
