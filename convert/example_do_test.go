package convert_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
)

// imageService stands for a deployment that also makes images of pages.
var imageService = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Println(r.Method, r.URL.Path, string(body))
	_, _ = io.WriteString(w, `{"code":0,"data":{"task_id":"open:7f3a"}}`)
})

// A target without a method: images of the pages (public reference 1.3).
func ExampleClient_Do() {
	client, err := convert.New(convert.Config{
		BaseURL:     "https://office.example",
		Credentials: signing.App("SX2024", signing.NewSecret("app key")),
		HTTPClient:  converttest.HTTPClient(imageService),
	})
	if err != nil {
		log.Fatal(err)
	}
	var data struct {
		TaskID string `json:"task_id"`
	}
	err = client.Do(context.Background(), convert.Call{
		Op:   "convert to png",
		Path: "/api/developer/v1/office/convert/to/png",
		Body: map[string]any{"url": "https://files.example/plan.pptx", "filename": "plan.pptx", "image_dpi": 150},
	}, &data)
	if err != nil {
		log.Fatal(err)
	}
	task := convert.Task{ID: data.TaskID, Target: "png"} // for Watch, Wait, Save and Batch
	fmt.Println(task.ID)
	// Output:
	// POST /api/developer/v1/office/convert/to/png {"filename":"plan.pptx","image_dpi":150,"url":"https://files.example/plan.pptx"}
	// open:7f3a
}
