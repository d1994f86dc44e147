//! Bridges in JavaScript and Python: created from templates, built with their languages'
//! tools, published, sold, and failing with a useful report.
//!
//! Runs only in `make test-all`, because it needs Node.js, Python and their package
//! registries, and takes a minute.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server, eventually};

/// A template, and the faults added to it.
struct Script {
    language: &'static str,
    file: &'static str,
    /// The line of the template's function before which `faults` is inserted.
    line: &'static str,
    /// The inserted code: prints many lines, raises an exception if the first value is
    /// -1, traps if it is -2.
    faults: &'static str,
    /// The message of the trap in the operator's log.
    trap: &'static str,
}

const SECRET: &str = "only the operator reads this";

const JS: Script = Script {
    language: "js",
    file: "src/plugin.js",
    line: "  const values = input.values ?? lines(input, call);\n",
    faults: "  for (let line = 0; line < 2000; line += 1) console.log(\"printed\", line);\n  \
             if (input.values?.[0] === -1) throw new Error(\"only the operator reads this\");\n  \
             if (input.values?.[0] === -2) (function deep() { return deep() + 1; })();\n",
    trap: "call stack exhausted",
};

const PYTHON: Script = Script {
    language: "python",
    file: "src/plugin.py",
    line: "    values = input[\"values\"] if \"values\" in input else lines(input, call)\n",
    faults: "    for line in range(2000):\n        print(\"printed\", line)\n    \
             if input.get(\"values\") == [-1]:\n        raise ValueError(\"only the operator reads this\")\n    \
             if input.get(\"values\") == [-2]:\n        __import__(\"os\").abort()\n",
    trap: "unreachable",
};

#[tokio::test(flavor = "multi_thread")]
async fn a_bridge_in_javascript_is_built_sold_and_fails_well() -> Result<()> {
    from_template_to_paid_route(&JS).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bridge_in_python_is_built_sold_and_fails_well() -> Result<()> {
    from_template_to_paid_route(&PYTHON).await
}

async fn from_template_to_paid_route(script: &Script) -> Result<()> {
    if std::env::var_os("TOLLBRIDGE_LONG").is_none_or(|long| long != "1") {
        eprintln!("`make test-all` runs this");
        return Ok(());
    }
    let folder = Folder::new("")?;
    let path = folder.path().join("mean").display().to_string();
    let lang = script.language;
    folder.run(&["plugin", "new", "mean", "--lang", lang, "--path", &path, "--publisher", "tester"])?;
    asks_for_nothing(&folder.run_json(&["plugin", "build", &path])?)?;
    let tested = folder.run_json(&["plugin", "test", &path])?;
    ensure!(tested["ok"] == true && tested["cases"] == 3, "{tested}");
    let checked = folder.run_json(&["plugin", "check", &path])?;
    ensure!(checked["ok"] == true && checked["examples"] == 1, "{checked}");
    for new in [true, false] {
        let published = folder.run_json(&["plugin", "publish", &path])?;
        ensure!(published[0]["new"] == new, "only the first publication of a project may be new: {published}");
    }
    let server = folder.serve().await?;
    let client = folder.funded(&server, "payer@example.com", "10.00").await?;
    let ask = || async { Ok((client.call("mean", &json!({}), &[]).await?.status == 402).then_some(())) };
    eventually("the new route quotes its price", 60, ask).await.with_context(|| server.log())?;
    is_sold(&client).await?;
    errors_are_typed_and_free(&client).await?;
    publish_faults(script, &folder)?;
    faults_are_free_and_told_to_the_operator(script, &client, &server).await?;
    server.stop().await?;
    folder.verify().map(drop)
}

/// Checks that no import of the component needs a grant.
fn asks_for_nothing(built: &Value) -> Result<()> {
    let imports = built[0]["imports"].as_array().context("no imports")?;
    let basics = ["tollbridge:plugin/types@", "wasi:cli/", "wasi:io/", "wasi:clocks/", "wasi:random/"];
    let empty = ["wasi:filesystem/", "wasi:sockets/"];
    for import in imports.iter().filter_map(Value::as_str) {
        let known = basics.iter().chain(&empty).any(|start| import.starts_with(start));
        ensure!(known, "the component imports more than it needs: {import}");
    }
    ensure!(!imports.is_empty(), "no imports: {built}");
    Ok(())
}

async fn pay(client: &Client, values: &Value) -> Result<tollbridge_tests::Reply> {
    client.call("mean", &json!({ "values": values }), &[("x-payment-source", "credit")]).await
}

async fn credit(client: &Client) -> Result<i64> {
    let balance = client.get("/v1/balance").await?.must(200)?;
    balance.json["credit_pence"].as_i64().with_context(|| balance.text.clone())
}

async fn is_sold(client: &Client) -> Result<()> {
    let before = credit(client).await?;
    let reply = pay(client, &json!([1, 2, 6])).await?.must(200)?;
    // JavaScript prints 3 where Python prints 3.0.
    let answer = ["count", "mean", "min", "max"].map(|name| reply.json[name].as_f64());
    ensure!(answer == [Some(3.0), Some(3.0), Some(1.0), Some(6.0)], "{}", reply.text);
    ensure!(reply.header("x-worm-seal").is_some(), "the answer has no seal");
    ensure!(credit(client).await? == before - 1, "the call did not cost one penny");
    Ok(())
}

async fn errors_are_typed_and_free(client: &Client) -> Result<()> {
    let before = credit(client).await?;
    // The schema rejects the first input, the function rejects the second.
    for (values, field) in [(json!([1, "x"]), "/values/1"), (json!([]), "/values")] {
        let reply = pay(client, &values).await?.must_be(400, "E011")?;
        ensure!(reply.json["details"]["field"] == field, "{field}: {}", reply.text);
    }
    ensure!(credit(client).await? == before, "a refused call was charged");
    Ok(())
}

fn publish_faults(script: &Script, folder: &Folder) -> Result<()> {
    let project = folder.path().join("mean");
    let source = project.join(script.file);
    let text = std::fs::read_to_string(&source)?;
    ensure!(text.contains(script.line), "the template has changed; change this test");
    std::fs::write(&source, text.replace(script.line, &format!("{}{}", script.faults, script.line)))?;
    let manifest = std::fs::read_to_string(project.join("plugin.toml"))?;
    std::fs::write(project.join("plugin.toml"), manifest.replace("0.1.0", "0.2.0"))?;
    folder.run(&["plugin", "publish", &project.display().to_string()]).map(drop)
}

async fn faults_are_free_and_told_to_the_operator(script: &Script, client: &Client, server: &Server) -> Result<()> {
    let ask = || async { Ok((pay(client, &json!([-1])).await?.status == 502).then_some(())) };
    eventually("the new version serves", 60, ask).await.with_context(|| server.log())?;
    let before = credit(client).await?;
    let file = script.file.trim_start_matches("src/");
    for fault in [-1, -2] {
        let reply = pay(client, &json!([fault])).await?.must_be(502, "E017")?;
        ensure!(!reply.text.contains(SECRET) && !reply.text.contains(file), "the caller reads {}", reply.text);
    }
    ensure!(credit(client).await? == before, "a failed call was charged");
    for reported in [SECRET, script.trap, file, "printed 7"] {
        ensure!(server.log().contains(reported), "the server's log lacks {reported:?}: {}", server.log());
    }
    pay(client, &json!([1, 3])).await?.must(200).map(drop)
}
