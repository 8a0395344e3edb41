// What a program does with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	ugc "example.org/ugc/client"
)

var (
	ctx = context.WithValue(context.Background(), ugc.ContextAccessToken, os.Getenv("TOKEN"))
	api *ugc.APIClient
	tag = os.Getenv("TAG")
)

func main() {
	configuration := ugc.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("BASE_URL")
	api = ugc.NewAPIClient(configuration)
	user, _, err := api.UsersAPI.EnsureOwnUser(ctx).Execute()
	check(err)
	picture, err := os.ReadFile(os.Getenv("PICTURE"))
	check(err)

	first := upload(user.UserId, 0, "Lighthouse at dusk", base64.StdEncoding.EncodeToString(picture))
	for n := 1; n < 3; n++ {
		upload(user.UserId, n, fmt.Sprintf("Harbour %d", n), "")
	}
	waitUntilIndexed(first)
	search(first)
	walk()
	readThumbnail(first, len(picture))
	edit(first)
	remove(first)
	readNewer()
}

func upload(userId int64, number int, name string, picture string) int64 {
	body := ugc.NewUpload(userId, name, "", 1, "")
	body.SetTags([]string{tag})
	if picture != "" {
		body.SetThumbnail(picture)
	}
	uploaded, _, err := api.ItemsAPI.UploadContent(ctx).Upload(*body).IdempotencyKey(fmt.Sprintf("%s-%d", tag, number)).Prefer("wait=10").Execute()
	check(err)
	return uploaded.ContentId
}

func waitUntilIndexed(id int64) {
	for {
		status, _, err := api.ItemsAPI.GetIndexStatus(ctx, id).Execute()
		check(err)
		if status.Status == "indexed" {
			return
		}
		time.Sleep(time.Second)
	}
}

func search(id int64) {
	found, _, err := api.SearchAPI.ListContent(ctx).Prompt("lighthuose").Tags([]string{tag}).ContentId([]int64{id, id + 1}).
		CreatedFrom("2026-01-01").
		Sort([]string{"relevance", "name,asc"}).Include([]string{"tags"}).Execute()
	check(err)
	page := found.ContentPage
	expect(page.TotalElements == 1 && page.Content[0].ContentId == id && page.Content[0].Tags[0] == tag, "the search finds the item")
}

func walk() {
	names := []string{}
	request := api.SearchAPI.ListContent(ctx).Tags([]string{tag}).Size(1).Totals(false).Include([]string{"next"})
	for {
		found, _, err := request.Execute()
		check(err)
		page := found.ContentSlice
		for _, item := range page.Content {
			names = append(names, item.Name)
		}
		after := page.Next.Get()
		if after == nil {
			break
		}
		request = request.After(*after)
	}
	expect(slices.Equal(names, []string{"Harbour 2", "Harbour 1", "Lighthouse at dusk"}), "the walk reads each item once")
}

func readThumbnail(id int64, bytes int) {
	file, _, err := api.ItemsAPI.GetThumbnail(ctx, id).Execute()
	check(err)
	defer os.Remove(file.Name())
	read, err := io.ReadAll(file)
	check(err)
	expect(len(read) == bytes, "the thumbnail is the picture")
}

func edit(id int64) {
	_, response, err := api.ItemsAPI.GetContent(ctx, id).Include([]string{"tags"}).Execute()
	check(err)
	change := ugc.NewEdit()
	change.SetName("Lighthouse at dawn")
	etag := response.Header.Get("ETag")
	edited, _, err := api.ItemsAPI.EditContent(ctx, id).Edit(*change).IfMatch(etag).Execute()
	check(err)
	expect(edited.Name == "Lighthouse at dawn", "the edit changes the name")
	change.SetName("Lighthouse at noon")
	_, response, err = api.ItemsAPI.EditContent(ctx, id).Edit(*change).IfMatch(etag).Execute()
	expect(err != nil && response.StatusCode == http.StatusPreconditionFailed, "the entity tag from before the edit is refused")
}

func remove(id int64) {
	_, err := api.ItemsAPI.DeleteContent(ctx, id).Execute()
	check(err)
	_, _, err = api.ItemsAPI.GetContent(ctx, id).Execute()
	expect(problemOf(err).Type == "/docs#item-unknown", "the deleted item is gone")
}

// What the release of an earlier document does not know.
func readNewer() {
	item, draft := idIn("NEWER_ITEM"), idIn("NEWER_DRAFT")
	newer := []string{"tags", "fields", "visibility"}
	read, _, err := api.ItemsAPI.GetContent(ctx, draft).Include(newer).Execute()
	check(err)
	expect(read.ContentId == draft, "the creator reads a draft")
	found, _, err := api.SearchAPI.ListContent(ctx).Prompt("copyleft harbuor").ContentId([]int64{item}).Sort([]string{"relevance"}).
		Highlight(true).Explain(true).Include(newer).Execute()
	check(err)
	expect(len(found.ContentPage.Content) == 1 && found.ContentPage.Content[0].ContentId == item, "a list has an item with fields")
	facets, _, err := api.SearchAPI.CountFacets(ctx).ContentId([]int64{item, draft}).Execute()
	check(err)
	expect(facets.TotalElements == 1, "facets count the item")
	suggestions, _, err := api.SearchAPI.SuggestContent(ctx).Prompt("newer har").Execute()
	check(err)
	expect(len(suggestions.Completions) > 0, "the name is completed")
	_, _, err = api.SearchAPI.ListSimilarContent(ctx, item).Include(newer).Execute()
	check(err)
	_, _, err = api.SearchAPI.ListContent(ctx).CreatedFrom("yesterday").Execute()
	problem := problemOf(err)
	expect(problem.Type == "/docs#invalid-parameters" && problem.Errors[0].GetParameter() == "createdFrom", "the error names the parameter")
}

func idIn(variable string) int64 {
	id, err := strconv.ParseInt(os.Getenv(variable), 10, 64)
	check(err)
	return id
}

func problemOf(err error) ugc.Problem {
	var failed *ugc.GenericOpenAPIError
	expect(errors.As(err, &failed), "the response is an error")
	problem, isProblem := failed.Model().(ugc.Problem)
	expect(isProblem, "the error has its kind")
	return problem
}

func check(err error) {
	if err == nil {
		return
	}
	var failed *ugc.GenericOpenAPIError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, failed.Body())
	}
	panic(err)
}

func expect(holds bool, what string) {
	if !holds {
		panic("not true: " + what)
	}
}
