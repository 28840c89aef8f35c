package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"pestle"
)

func main() {
	ctx := context.Background()
	env := os.Getenv
	client := &pestle.Client{
		ClientID: env("CLIENT_ID"), ClientSecret: env("CLIENT_SECRET"), BaseURL: env("BASE_URL"), AuthURL: env("AUTH_URL"),
	}
	rx, err := client.Simulate(ctx, pestle.Object{
		"simulation_type": "prescription", "simulation": pestle.Object{"drug_name": "atorvastatin"},
	}, "")
	check(err)
	order, err := client.CreateOrder(ctx, pestle.Object{
		"reference": env("REFERENCE"),
		"shipping":  pestle.Object{"method_id": 1},
		"patient":   pestle.Object{"patient_id": rx["patient_id"]},
		"items":     []pestle.Object{{"prescription_id": rx["prescription_id"]}},
	}, "")
	check(err)
	order, err = client.GetOrder(ctx, order["order_number"].(string))
	check(err)
	fmt.Println("status", order["order_status"])
	count := 0
	check(client.ListWebhookEvents(ctx, url.Values{"limit": {"1"}}, func(event pestle.Object) error {
		if event["event_id"] != nil {
			count++
		}
		return nil
	}))
	fmt.Println("pages", count > 1)
	products, err := client.ListProducts(ctx, url.Values{"sku[]": {"atorvastatin-20"}})
	check(err)
	fmt.Println("products", products[0]["sku"])
	_, err = client.CreateOrder(ctx, pestle.Object{"reference": "x"}, "")
	var refusal *pestle.Error
	if errors.As(err, &refusal) {
		fmt.Println("refused", refusal.Status, refusal.Codes[0] > 42000)
	}
	var given map[string]string
	check(json.Unmarshal([]byte(env("HEADERS")), &given))
	headers := http.Header{}
	for name, value := range given {
		headers.Set(name, value)
	}
	body, err := os.ReadFile(env("BODY_FILE"))
	check(err)
	now := time.Now().Unix()
	told, _ := json.Marshal([]bool{
		VerifyService(env("URL"), body, headers, env("CLIENT_SECRET"), env("WEBHOOK_SECRET")),
		VerifyStandard(body, headers, env("SIGNING_SECRET"), now),
		VerifyStandard(append(body, ' '), headers, env("SIGNING_SECRET"), now),
	})
	fmt.Println("verified", string(told))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
