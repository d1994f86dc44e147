//! Routes with handlers and their documentation.

use aide::axum::ApiRouter;
use aide::axum::routing::{ApiMethodRouter, delete_with, get_with, post_with};
use aide::generate::in_context;
use aide::openapi::OpenApi;
use aide::operation::{OperationHandler, OperationInput, OperationOutput};
use axum::handler::Handler;
use axum::routing::{MethodRouter, any, delete, get, post};
use axum::{Extension, Router};
use schemars::generate::{SchemaGenerator, SchemaSettings};

use crate::operation::Operation;

/// The body size limit, in the extensions of a request.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimit(pub usize);

/// Routes of one area, whose handlers share a state. A handler cannot be added
/// without an [`Operation`].
pub struct Routes<S> {
    tag: &'static str,
    router: ApiRouter<S>,
    documented: Vec<Documented>,
}

/// An operation with its route.
#[derive(Clone, Debug)]
pub struct Documented {
    /// The area.
    pub tag: &'static str,
    /// The method in lower case.
    pub method: &'static str,
    /// The canonical path.
    pub path: &'static str,
    /// The documentation.
    pub operation: Operation,
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// Creates an empty set of routes of an area in `components::TAGS`.
    pub fn new(tag: &'static str) -> Self {
        Self { tag, router: ApiRouter::new(), documented: Vec::new() }
    }

    /// Adds a route with method GET.
    #[must_use]
    pub fn get<H, I, O, T>(self, path: &'static str, handler: H, operation: Operation) -> Self
    where
        H: Handler<T, S> + OperationHandler<I, O>,
        I: OperationInput,
        O: OperationOutput,
        T: 'static,
    {
        let again = get(handler.clone());
        self.add("get", path, get_with(handler, |described| described), &again, operation)
    }

    /// Adds a route with method POST.
    #[must_use]
    pub fn post<H, I, O, T>(self, path: &'static str, handler: H, operation: Operation) -> Self
    where
        H: Handler<T, S> + OperationHandler<I, O>,
        I: OperationInput,
        O: OperationOutput,
        T: 'static,
    {
        let again = post(handler.clone());
        self.add("post", path, post_with(handler, |described| described), &again, operation)
    }

    /// Adds a route with method DELETE.
    #[must_use]
    pub fn delete<H, I, O, T>(self, path: &'static str, handler: H, operation: Operation) -> Self
    where
        H: Handler<T, S> + OperationHandler<I, O>,
        I: OperationInput,
        O: OperationOutput,
        T: 'static,
    {
        let again = delete(handler.clone());
        self.add("delete", path, delete_with(handler, |described| described), &again, operation)
    }

    /// Adds a route whose handler checks the method itself; documented as POST.
    #[must_use]
    pub fn any<H, I, O, T>(self, path: &'static str, handler: H, operation: Operation) -> Self
    where
        H: Handler<T, S> + OperationHandler<I, O>,
        I: OperationInput,
        O: OperationOutput,
        T: 'static,
    {
        let documented = post_with(handler.clone(), |described| described);
        let mut routes = self.add("post", path, documented, &any(handler.clone()), operation);
        routes.router = routes.router.route(path, any(handler));
        routes
    }

    /// Raises the body size limit of the routes added so far.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.router = self.router.layer(Extension(BodyLimit(bytes)));
        self
    }

    /// Merges these routes with others.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.documented.extend(other.documented);
        self
    }

    /// Returns the router and the operations; adds the documentation derived from
    /// types to `api`.
    pub fn finish(self, api: &mut OpenApi) -> (Router<S>, Vec<Documented>) {
        (self.router.finish_api(api), self.documented)
    }

    fn add(
        mut self,
        method: &'static str,
        path: &'static str,
        handler: ApiMethodRouter<S>,
        again: &MethodRouter<S>,
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

/// Configures the schemas of this thread for OpenAPI 3.1. Call before routes
/// are created.
pub fn begin() {
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
