//! Routes whose handlers come with their documentation.

use std::sync::Arc;

use aide::axum::ApiRouter;
use aide::axum::routing::{ApiMethodRouter, delete_with, get_with, post_with};
use aide::generate::in_context;
use aide::openapi::OpenApi;
use aide::operation::{OperationHandler, OperationInput, OperationOutput};
use axum::handler::Handler;
use axum::routing::{MethodRouter, any, delete, get, post};
use axum::{Extension, Router};
use schemars::generate::{SchemaGenerator, SchemaSettings};

use crate::body::BodyLimit;
use crate::openapi::operation::Operation;
use crate::state::AppState;

type State = Arc<AppState>;

/// Routes of one area. There is no way to add a handler without an
/// [`Operation`].
pub(crate) struct Routes {
    tag: &'static str,
    router: ApiRouter<State>,
    documented: Vec<Documented>,
}

/// An operation in its place.
#[derive(Clone, Debug)]
pub(crate) struct Documented {
    pub tag: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    pub operation: Operation,
}

impl Routes {
    /// No routes yet, of an area that `components::TAGS` describes.
    pub(crate) fn new(tag: &'static str) -> Self {
        Self { tag, router: ApiRouter::new(), documented: Vec::new() }
    }

    /// A route for reading.
    #[must_use]
    pub(crate) fn get<H, I, O, T>(self, path: &'static str, handler: H, operation: Operation) -> Self
    where
        H: Handler<T, State> + OperationHandler<I, O>,
        I: OperationInput,
        O: OperationOutput,
        T: 'static,
    {
        let again = get(handler.clone());
        self.add("get", path, get_with(handler, |described| described), &again, operation)
    }

    /// A route for doing.
    #[must_use]
    pub(crate) fn post<H, I, O, T>(self, path: &'static str, handler: H, operation: Operation) -> Self
    where
        H: Handler<T, State> + OperationHandler<I, O>,
        I: OperationInput,
        O: OperationOutput,
        T: 'static,
    {
        let again = post(handler.clone());
        self.add("post", path, post_with(handler, |described| described), &again, operation)
    }

    /// A route for deleting.
    #[must_use]
    pub(crate) fn delete<H, I, O, T>(self, path: &'static str, handler: H, operation: Operation) -> Self
    where
        H: Handler<T, State> + OperationHandler<I, O>,
        I: OperationInput,
        O: OperationOutput,
        T: 'static,
    {
        let again = delete(handler.clone());
        self.add("delete", path, delete_with(handler, |described| described), &again, operation)
    }

    /// A route whose handler looks at the method itself; documented as POST.
    #[must_use]
    pub(crate) fn any<H, I, O, T>(self, path: &'static str, handler: H, operation: Operation) -> Self
    where
        H: Handler<T, State> + OperationHandler<I, O>,
        I: OperationInput,
        O: OperationOutput,
        T: 'static,
    {
        let documented = post_with(handler.clone(), |described| described);
        let mut routes = self.add("post", path, documented, &any(handler.clone()), operation);
        routes.router = routes.router.route(path, any(handler));
        routes
    }

    /// Lets the routes so far take larger bodies than others.
    #[must_use]
    pub(crate) fn body_limit(mut self, bytes: usize) -> Self {
        self.router = self.router.layer(Extension(BodyLimit(bytes)));
        self
    }

    /// These routes and others.
    #[must_use]
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.documented.extend(other.documented);
        self
    }

    /// The router, with what the types say in `api`, and the operations.
    pub(crate) fn finish(self, api: &mut OpenApi) -> (Router<State>, Vec<Documented>) {
        (self.router.finish_api(api), self.documented)
    }

    fn add(
        mut self,
        method: &'static str,
        path: &'static str,
        handler: ApiMethodRouter<State>,
        again: &MethodRouter<State>,
        operation: Operation,
    ) -> Self {
        self.router = self.router.api_route(path, handler);
        for alias in &operation.aliases {
            self.router = self.router.route(alias, again.clone());
        }
        self.documented.push(Documented { tag: self.tag, method, path, operation });
        self
    }
}

/// Makes schemas of this thread those of OpenAPI 3.1. Called before routes are
/// made.
pub(crate) fn begin() {
    aide::generate::reset_context();
    aide::generate::infer_responses(false);
    in_context(|context| {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "#/components/schemas/".into();
            settings.meta_schema = None;
        });
        context.schema = SchemaGenerator::new(settings);
    });
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    /// Where axum's own `route` may stand: the pages for people, the operator's
    /// listener, and the type that asks for documentation.
    const ALLOWED: [&str; 4] = ["src/pages/", "src/docs.rs", "src/admin.rs", "src/openapi/routes.rs"];

    fn rust_files(folder: &Path, paths: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                rust_files(&path, paths);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                paths.push(path);
            }
        }
    }

    #[test]
    fn no_public_route_goes_without_documentation() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut paths = Vec::new();
        rust_files(&root.join("src"), &mut paths);
        assert!(paths.len() > 50, "only {} files", paths.len());
        for path in paths {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if ALLOWED.iter().any(|allowed| name.starts_with(allowed)) {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for call in [".route(", ".route_service(", ".nest_service(", ".api_route("] {
                assert!(
                    !text.contains(call),
                    "{name} uses {call}: register the route with `Routes` and an `Operation`"
                );
            }
        }
    }
}
