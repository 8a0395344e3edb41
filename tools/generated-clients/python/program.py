"""What a program does with the client that openapi-generator makes for Python."""

import base64
import os
import time
from pathlib import Path

import ugc_client as ugc

TAG = os.environ["TAG"]

configuration = ugc.Configuration(host=os.environ["BASE_URL"], access_token=os.environ["TOKEN"])
client = ugc.ApiClient(configuration)
items, lists, users = ugc.ItemsApi(client), ugc.SearchApi(client), ugc.UsersApi(client)


def upload(number, name, picture=None):
    body = ugc.Upload(creator_id=user_id, name=name, description="", version=1, data="", tags=[TAG])
    if picture:
        body.thumbnail = base64.b64encode(picture).decode()
    return items.upload_content(body, idempotency_key=f"{TAG}-{number}", prefer="wait=10").content_id


def wait_until_indexed(item_id):
    while items.get_index_status(item_id).status != "indexed":
        time.sleep(1)


def search(item_id):
    found = lists.list_content(
        prompt="lighthuose",
        tags=[TAG],
        content_id=[item_id, item_id + 1],
        created_from="2026-01-01",
        sort=["relevance", "name,asc"],
        include=["tags"],
    ).actual_instance
    assert found.total_elements == 1
    assert (found.content[0].content_id, found.content[0].tags) == (item_id, [TAG])


def walk():
    names, after = [], None
    while True:
        page = lists.list_content(tags=[TAG], size=1, totals=False, include=["next"], after=after).actual_instance
        names += [item.name for item in page.content]
        after = page.next
        if after is None:
            break
    assert names == ["Harbour 2", "Harbour 1", "Lighthouse at dusk"], names


def edit(item_id):
    etag = items.get_content_with_http_info(item_id, include=["tags"]).headers["ETag"]
    edited = items.edit_content(item_id, ugc.Edit(name="Lighthouse at dawn"), if_match=etag)
    assert edited.name == "Lighthouse at dawn"
    try:
        items.edit_content(item_id, ugc.Edit(name="Lighthouse at noon"), if_match=etag)
    except ugc.ApiException as error:
        assert error.status == 412
    else:
        raise AssertionError("the entity tag from before the edit is accepted")


def delete(item_id):
    items.delete_content(item_id)
    try:
        items.get_content(item_id)
    except ugc.exceptions.NotFoundException as error:
        assert error.data.type == "/docs#item-unknown"
    else:
        raise AssertionError("the deleted item is there")


def read_newer(item, draft):
    """What the release of an earlier document does not know."""
    newer = ["tags", "fields", "visibility"]
    assert items.get_content(draft, include=newer).content_id == draft
    found = lists.list_content(
        prompt="copyleft harbuor", content_id=[item], sort=["relevance"], highlight=True, explain=True, include=newer
    ).actual_instance
    assert [one.content_id for one in found.content] == [item]
    assert lists.count_facets(content_id=[item, draft]).total_elements == 1
    assert lists.suggest_content(prompt="newer har").completions
    lists.list_similar_content(item, include=newer)
    try:
        lists.list_content(created_from="yesterday")
    except ugc.exceptions.BadRequestException as error:
        assert error.data.type == "/docs#invalid-parameters"
        assert error.data.errors[0].parameter == "createdFrom"
    else:
        raise AssertionError("a date that is none is accepted")


user_id = users.ensure_own_user().user_id
picture = Path(os.environ["PICTURE"]).read_bytes()
first = upload(0, "Lighthouse at dusk", picture)
for n in (1, 2):
    upload(n, f"Harbour {n}")
wait_until_indexed(first)
search(first)
walk()
assert len(items.get_thumbnail(first)) == len(picture)
edit(first)
delete(first)
read_newer(int(os.environ["NEWER_ITEM"]), int(os.environ["NEWER_DRAFT"]))
