// Calls the typed service with generated stubs, and prints what it got as one line of JSON: stubs <address>.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"toolwire.test/stubs/docs"
)

func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func errorOf(err error) []any {
	if info, ok := status.Convert(err).Details()[0].(*errdetails.ErrorInfo); ok {
		return []any{status.Code(err).String(), status.Convert(err).Message(), info.Reason, info.Domain}
	}
	return nil
}

func main() {
	connection := must(grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials())))
	tools := docs.NewToolsClient(connection)
	ctx := context.Background()

	input := &docs.FindUserInput{Id: 7, Tags: []string{"a", "b"}, At: &docs.FindUserInput_At{X: -1}}
	user := must(tools.FindUser(ctx, input))
	var id int32 = user.Id
	var friend *string = user.BestFriend
	if friend != nil {
		panic("null is not nil")
	}
	var pieces []any
	stream := must(tools.Count(ctx, &docs.CountInput{To: 2}))
	for one, err := stream.Recv(); err == nil; one, err = stream.Recv() {
		if partial := one.GetPartial(); partial != nil {
			pieces = append(pieces, []any{"partial", partial.At})
		} else {
			pieces = append(pieces, []any{"output", one.GetOutput().Result})
		}
	}
	meta := must(proto.Marshal(must(structpb.NewStruct(map[string]any{"promise": true}))))
	promising := metadata.AppendToOutgoingContext(ctx, "mcplite-meta-bin", string(meta))
	begun := must(tools.Render(promising, &docs.RenderInput{Name: "b"})).GetPromise()
	wait := int64(10_000)
	redeemed := must(tools.RedeemRender(ctx, &docs.RedeemInput{Promise: begun.Token, WaitMs: &wait}))
	_, locked := tools.Locked(ctx, &docs.LockedInput{})
	_, invalid := tools.FindUser(ctx, &docs.FindUserInput{})
	fmt.Println(string(must(json.Marshal(map[string]any{
		"user":     []any{id, user.UserName, user.Tags, user.Counts},
		"stream":   pieces,
		"redeemed": redeemed.GetOutput().Url,
		"locked":   errorOf(locked),
		"invalid":  errorOf(invalid)[2:],
	}))))
}
