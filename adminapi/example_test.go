package adminapi_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
)

func Example() {
	scenario, _ := simulator.BuiltIn("healthy")
	site, err := simulator.New(simulator.Options{Scenario: scenario})
	if err != nil || site.Start("127.0.0.1:0") != nil {
		fmt.Println("the simulated site does not start")
		return
	}
	defer site.Close()
	client, err := adminapi.New(adminapi.Config{Base: site.URL()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.CloseIdleConnections()

	ctx := context.Background()
	user := site.Users()[0]
	if _, err := client.Session.SignIn(ctx, user.Username, secrets.Secret(user.Password), time.Hour); err != nil {
		fmt.Println(err)
		return
	}
	root, err := client.Root(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(root.FullVersion)
	_, err = client.Jobs.Get(ctx, "of-nobody")
	fmt.Println(errors.Is(err, adminapi.KindNotFound))
	// Output:
	// 11.5.0.6745
	// true
}
