// A Temporal server for the tests: one process, one SQLite file, one namespace ("default"), no metrics and no archival.
//
// Usage: temporal-server <path of the database> <port of the frontend> <five other ports>
//
// A server that is started again needs the same ports: its database has the addresses of its services.
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const host = "127.0.0.1"

func main() {
	if len(os.Args) != 8 {
		log.Fatal("Usage: temporal-server <database> <port of the frontend> <five other ports>")
	}
	store := &config.SQL{
		PluginName:        sqlite.PluginName,
		DatabaseName:      os.Args[1],
		ConnectAttributes: map[string]string{"mode": "rwc"},
	}
	if _, err := os.Stat(store.DatabaseName); os.IsNotExist(err) {
		check(schema.SetupSchema(store))
		check(schema.CreateNamespaces(store, schema.NewNamespaceConfig("active", "default", false)))
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(configOf(store)),
		temporal.ForServices([]string{"frontend", "history", "matching"}),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.InterruptOn(temporal.InterruptCh()),
	)
	check(err)
	check(server.Start())
}

func configOf(store *config.SQL) *config.Config {
	address := fmt.Sprintf("%s:%d", host, port(0))
	disabled := config.ArchivalNamespaceDefaults{
		History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
		Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
	}
	return &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: host},
		},
		Persistence: config.Persistence{
			DefaultStore:     "sqlite",
			VisibilityStore:  "sqlite",
			NumHistoryShards: 1,
			DataStores:       map[string]config.DataStore{"sqlite": {SQL: store}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        "active",
			CurrentClusterName:       "active",
			ClusterInformation: map[string]cluster.ClusterInformation{
				"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services: map[string]config.Service{
			"frontend": service(0),
			"history":  service(1),
			"matching": service(2),
		},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: disabled},
		PublicClient:      config.PublicClient{HostPort: address},
	}
}

func service(index int) config.Service {
	return config.Service{RPC: config.RPC{GRPCPort: port(index), MembershipPort: port(index + 3), BindOnLocalHost: true}}
}

// port is one of the ports of the command line.
func port(index int) int {
	port, err := strconv.Atoi(os.Args[2+index])
	check(err)
	return port
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
