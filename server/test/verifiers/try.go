// Reads a request a line and says for each whether both verifiers take it: "true false" and the like.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
)

func main() {
	names := []string{"X-Service-Signature", "X-Service-Secret", "webhook-id", "webhook-timestamp", "webhook-signature"}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		for index, field := range fields {
			bytes, _ := base64.StdEncoding.DecodeString(field)
			fields[index] = string(bytes)
		}
		headers := http.Header{}
		for index, name := range names {
			headers.Set(name, fields[6+index])
		}
		now, _ := strconv.ParseInt(fields[5], 10, 64)
		body := []byte(fields[1])
		fmt.Println(VerifyService(fields[0], body, headers, fields[2], fields[3]), VerifyStandard(body, headers, fields[4], now))
	}
}
