//! What a program does with the client that openapi-generator makes for Rust.

use std::{env, fs, process::Command, thread::sleep, time::Duration};

use ugc_client::apis::{configuration::Configuration, items_api, search_api, users_api, Error};
use ugc_client::models::{AnyContentPage, Edit, Upload};

const TAG: &str = "generated-rust";

fn main() {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run());
}

async fn run() {
    let api = Configuration {
        base_path: env::var("BASE_URL").unwrap(),
        bearer_access_token: Some(env::var("TOKEN").unwrap()),
        ..Configuration::new()
    };
    let user = users_api::ensure_own_user(&api).await.unwrap();
    let picture = env::var("PICTURE").unwrap();
    let base64 = String::from_utf8(Command::new("base64").args(["-w0", &picture]).output().unwrap().stdout).unwrap();
    let bytes = fs::metadata(&picture).unwrap().len();

    let mut ids = vec![];
    for (n, name) in ["Lighthouse at dusk", "Harbour 1", "Harbour 2"].into_iter().enumerate() {
        let mut body = Upload::new(user.user_id, name.into(), "".into(), 1, "data".into());
        body.tags = Some(Some(vec![TAG.into()]));
        if n == 0 {
            body.thumbnail = Some(Some(base64.clone()));
        }
        let key = format!("{TAG}-{n}");
        ids.push(items_api::upload_content(&api, body, Some(&key), Some("wait=10")).await.unwrap().content_id);
    }
    let first = ids[0];
    for id in ids {
        while format!("{:?}", items_api::get_index_status(&api, id).await.unwrap().status) != "Indexed" {
            sleep(Duration::from_secs(1));
        }
    }

    let page = list(&api, Some("lighthuose"), None, None, None).await;
    assert_eq!((page.total_elements, page.content[0].content_id), (Some(1), first));
    assert_eq!((page.content[0].data.as_deref(), page.content[0].tags.clone()), (Some("data"), Some(vec![TAG.to_string()])));

    let (mut names, mut after) = (vec![], None::<String>);
    loop {
        let page = list(&api, None, Some(1), after.as_deref(), Some(false)).await;
        assert_eq!(page.total_elements, None);
        names.extend(page.content.into_iter().map(|item| item.name));
        after = page.next.flatten();
        if after.is_none() {
            break;
        }
    }
    assert_eq!(names, ["Harbour 2", "Harbour 1", "Lighthouse at dusk"]);
    let thumbnail = items_api::get_thumbnail(&api, first, None, None).await.unwrap();
    assert_eq!(thumbnail.bytes().await.unwrap().len() as u64, bytes);

    // The client does not return the headers of an item: a creator edits without its tag, and a wrong one is refused.
    let change = |name: &str| Edit { name: Some(name.into()), ..Edit::new() };
    assert_eq!(items_api::edit_content(&api, first, change("Lighthouse at dawn"), None, None).await.unwrap().name, "Lighthouse at dawn");
    match items_api::edit_content(&api, first, change("Lighthouse at noon"), Some("\"999\""), None).await {
        Err(Error::ResponseError(response)) => assert_eq!(response.status.as_u16(), 412, "{}", response.content),
        other => panic!("a wrong entity tag is accepted: {other:?}"),
    }
    items_api::delete_content(&api, first, None, None).await.unwrap();
    match items_api::get_content(&api, first, None, None, None).await {
        Err(Error::ResponseError(response)) => assert!(response.content.contains("/docs#item-unknown")),
        other => panic!("the deleted item is there: {other:?}"),
    }
}

async fn list(api: &Configuration, prompt: Option<&str>, size: Option<i32>, after: Option<&str>, totals: Option<bool>) -> AnyContentPage {
    let (tags, include) = (Some(vec![TAG.to_string()]), Some(vec!["tags".to_string(), "next".to_string()]));
    search_api::list_content(
        api, prompt, None, None, tags, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None,
        None, None, size, after, None, totals, None, include, None,
    )
    .await
    .unwrap()
}
