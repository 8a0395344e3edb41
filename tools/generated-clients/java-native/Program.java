import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ItemsApi;
import org.openapitools.client.api.SearchApi;
import org.openapitools.client.api.UsersApi;
import org.openapitools.client.model.*;

/** What a program does with the client that openapi-generator makes for Java, with its library `native`. */
public class Program {
  private static final String TAG = System.getenv("TAG");
  private static final ApiClient CLIENT = new ApiClient();
  private static ItemsApi items;
  private static SearchApi lists;
  private static long userId;

  public static void main(String[] args) throws Exception {
    CLIENT.updateBaseUri(System.getenv("BASE_URL"));
    CLIENT.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
    items = new ItemsApi(CLIENT);
    lists = new SearchApi(CLIENT);
    userId = new UsersApi(CLIENT).ensureOwnUser().getUserId();
    byte[] picture = Files.readAllBytes(Path.of(System.getenv("PICTURE")));

    long first = upload(0, "Lighthouse at dusk", picture);
    for (int n = 1; n < 3; n++) upload(n, "Harbour " + n, null);
    waitUntilIndexed(first);
    search(first);
    walk();
    var thumbnail = items.getThumbnail(ItemsApi.APIGetThumbnailRequest.newBuilder().id(first).build());
    expect(Files.size(thumbnail.toPath()) == picture.length, "the thumbnail is the picture");
    edit(first);
    delete(first);
    readNewer(Long.parseLong(System.getenv("NEWER_ITEM")), Long.parseLong(System.getenv("NEWER_DRAFT")));
  }

  private static long upload(int number, String name, byte[] picture) throws ApiException {
    Upload body = new Upload().creatorId(userId).name(name).description("").version(1).data("").tags(List.of(TAG));
    if (picture != null) body.thumbnail(Base64.getEncoder().encodeToString(picture));
    var request = ItemsApi.APIUploadContentRequest.newBuilder().upload(body).idempotencyKey(TAG + "-" + number).prefer("wait=10").build();
    return items.uploadContent(request).getContentId();
  }

  private static void waitUntilIndexed(long id) throws Exception {
    var request = ItemsApi.APIGetIndexStatusRequest.newBuilder().id(id).build();
    while (items.getIndexStatus(request).getStatus() != IndexStatus.StatusEnum.INDEXED) Thread.sleep(1_000);
  }

  private static void search(long id) throws ApiException {
    var request = SearchApi.APIListContentRequest.newBuilder().prompt("lighthuose").tags(List.of(TAG))
        .contentId(List.of(id, id + 1)).createdFrom("2026-01-01")
        .sort(List.of("relevance", "name,asc")).include(List.of("tags")).build();
    ContentPage page = (ContentPage) lists.listContent(request).getActualInstance();
    expect(page.getTotalElements() == 1 && page.getContent().get(0).getContentId() == id, "the search finds the item");
    expect(page.getContent().get(0).getTags().equals(List.of(TAG)), "the item has its tags");
  }

  private static void walk() throws ApiException {
    List<String> names = new ArrayList<>();
    String after = null;
    do {
      var request = SearchApi.APIListContentRequest.newBuilder().tags(List.of(TAG)).size(1).totals(false).include(List.of("next")).after(after);
      // This library takes the first schema of which the page has no other property. The totals are null.
      ContentPage page = (ContentPage) lists.listContent(request.build()).getActualInstance();
      for (ContentItem item : page.getContent()) names.add(item.getName());
      after = page.getNext();
    } while (after != null);
    expect(names.equals(List.of("Harbour 2", "Harbour 1", "Lighthouse at dusk")), "the walk reads each item once");
  }

  private static void edit(long id) throws ApiException {
    var read = ItemsApi.APIGetContentRequest.newBuilder().id(id).include(List.of("tags")).build();
    String etag = items.getContentWithHttpInfo(read).getHeaders().get("etag").get(0);
    var change = ItemsApi.APIEditContentRequest.newBuilder().id(id).ifMatch(etag);
    ContentItem edited = items.editContent(change.edit(new Edit().name("Lighthouse at dawn")).build());
    expect(edited.getName().equals("Lighthouse at dawn"), "the edit changes the name");
    expectStatus(412, () -> items.editContent(change.edit(new Edit().name("Lighthouse at noon")).build()));
  }

  private static void delete(long id) throws ApiException {
    items.deleteContent(ItemsApi.APIDeleteContentRequest.newBuilder().id(id).build());
    String body = expectStatus(404, () -> items.getContent(ItemsApi.APIGetContentRequest.newBuilder().id(id).build()));
    expect(body.contains("/docs#item-unknown"), "the error has its kind");
  }

  /** What the release of an earlier document does not know. */
  private static void readNewer(long item, long draft) throws ApiException {
    List<String> newer = List.of("tags", "fields", "visibility");
    var read = ItemsApi.APIGetContentRequest.newBuilder().id(draft).include(newer).build();
    expect(items.getContent(read).getContentId() == draft, "the creator reads a draft");
    var request = SearchApi.APIListContentRequest.newBuilder().prompt("copyleft harbuor").contentId(List.of(item))
        .sort(List.of("relevance")).highlight(true).explain(true).include(newer).build();
    ContentPage page = (ContentPage) lists.listContent(request).getActualInstance();
    expect(page.getContent().size() == 1 && page.getContent().get(0).getContentId() == item, "a list has an item with fields");
    var counts = SearchApi.APICountFacetsRequest.newBuilder().contentId(List.of(item, draft)).build();
    expect(lists.countFacets(counts).getTotalElements() == 1, "facets count the item");
    var completions = SearchApi.APISuggestContentRequest.newBuilder().prompt("newer har").build();
    expect(!lists.suggestContent(completions).getCompletions().isEmpty(), "the name is completed");
    lists.listSimilarContent(SearchApi.APIListSimilarContentRequest.newBuilder().id(item).include(newer).build());
    var wrong = SearchApi.APIListContentRequest.newBuilder().createdFrom("yesterday").build();
    String body = expectStatus(400, () -> lists.listContent(wrong));
    expect(body.contains("/docs#invalid-parameters"), "the error has its kind");
  }

  private interface Request {
    void send() throws ApiException;
  }

  private static String expectStatus(int status, Request request) {
    try {
      request.send();
    } catch (ApiException error) {
      expect(error.getCode() == status, "the status is " + status + ": " + error.getMessage());
      return error.getResponseBody();
    }
    throw new AssertionError("the status is not " + status);
  }

  private static void expect(boolean holds, String what) {
    if (!holds) throw new AssertionError("not true: " + what);
  }
}
