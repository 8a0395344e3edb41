import java.io.File;
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

/** What a program does with the client that openapi-generator makes for Java, with its default library. */
public class Program {
  private static final String TAG = System.getenv("TAG");
  private static final ApiClient CLIENT = new ApiClient();
  private static ItemsApi items;
  private static SearchApi lists;
  private static long userId;

  public static void main(String[] args) throws Exception {
    CLIENT.setBasePath(System.getenv("BASE_URL"));
    CLIENT.setBearerToken(System.getenv("TOKEN"));
    items = new ItemsApi(CLIENT);
    lists = new SearchApi(CLIENT);
    userId = new UsersApi(CLIENT).ensureOwnUser().execute().getUserId();
    byte[] picture = Files.readAllBytes(Path.of(System.getenv("PICTURE")));

    long first = upload(0, "Lighthouse at dusk", picture);
    for (int n = 1; n < 3; n++) upload(n, "Harbour " + n, null);
    waitUntilIndexed(first);
    search(first);
    walk();
    File thumbnail = items.getThumbnail(first).execute();
    expect(Files.size(thumbnail.toPath()) == picture.length, "the thumbnail is the picture");
    edit(first);
    delete(first);
    readNewer(Long.parseLong(System.getenv("NEWER_ITEM")), Long.parseLong(System.getenv("NEWER_DRAFT")));
  }

  private static long upload(int number, String name, byte[] picture) throws ApiException {
    Upload body = new Upload().creatorId(userId).name(name).description("").version(1).data("").tags(List.of(TAG));
    if (picture != null) body.thumbnail(Base64.getEncoder().encodeToString(picture));
    return items.uploadContent(body).idempotencyKey(TAG + "-" + number).prefer("wait=10").execute().getContentId();
  }

  private static void waitUntilIndexed(long id) throws Exception {
    while (items.getIndexStatus(id).execute().getStatus() != IndexStatus.StatusEnum.INDEXED) Thread.sleep(1_000);
  }

  private static void search(long id) throws ApiException {
    SearchApi.APIlistContentRequest request = lists.listContent().prompt("lighthuose").tags(List.of(TAG))
        .contentId(List.of(id, id + 1)).createdFrom("2026-01-01")
        .sort(List.of("relevance", "name,asc")).include(List.of("tags"));
    ContentPage page = request.execute().getContentPage();
    expect(page.getTotalElements() == 1 && page.getContent().get(0).getContentId() == id, "the search finds the item");
    expect(page.getContent().get(0).getTags().equals(List.of(TAG)), "the item has its tags");
  }

  private static void walk() throws ApiException {
    List<String> names = new ArrayList<>();
    String after = null;
    do {
      SearchApi.APIlistContentRequest request = lists.listContent().tags(List.of(TAG)).size(1).totals(false).include(List.of("next")).after(after);
      ContentSlice page = request.execute().getContentSlice();
      for (ContentItem item : page.getContent()) names.add(item.getName());
      after = page.getNext();
    } while (after != null);
    expect(names.equals(List.of("Harbour 2", "Harbour 1", "Lighthouse at dusk")), "the walk reads each item once");
  }

  private static void edit(long id) throws ApiException {
    String etag = items.getContent(id).include(List.of("tags")).executeWithHttpInfo().getHeaders().get("etag").get(0);
    ContentItem edited = items.editContent(id, new Edit().name("Lighthouse at dawn")).ifMatch(etag).execute();
    expect(edited.getName().equals("Lighthouse at dawn"), "the edit changes the name");
    expectStatus(412, () -> items.editContent(id, new Edit().name("Lighthouse at noon")).ifMatch(etag).execute());
  }

  private static void delete(long id) throws ApiException {
    items.deleteContent(id).execute();
    String body = expectStatus(404, () -> items.getContent(id).execute());
    expect(body.contains("/docs#item-unknown"), "the error has its kind");
  }

  /** What the release of an earlier document does not know. */
  private static void readNewer(long item, long draft) throws ApiException {
    List<String> newer = List.of("tags", "fields", "visibility");
    expect(items.getContent(draft).include(newer).execute().getContentId() == draft, "the creator reads a draft");
    ContentPage page = lists.listContent().prompt("copyleft harbuor").contentId(List.of(item)).sort(List.of("relevance"))
        .highlight(true).explain(true).include(newer).execute().getContentPage();
    expect(page.getContent().size() == 1 && page.getContent().get(0).getContentId() == item, "a list has an item with fields");
    expect(lists.countFacets().contentId(List.of(item, draft)).execute().getTotalElements() == 1, "facets count the item");
    expect(!lists.suggestContent().prompt("newer har").execute().getCompletions().isEmpty(), "the name is completed");
    lists.listSimilarContent(item).include(newer).execute();
    String body = expectStatus(400, () -> lists.listContent().createdFrom("yesterday").execute());
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
