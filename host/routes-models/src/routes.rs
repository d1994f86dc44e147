//! All routes of models.

use tollbridge_web::Routes;

use crate::{batches, chat, files, media, message_batches, messages, models, paid, responses, route, usage};

/// Returns the routes of models, files and batches, and of usage reports.
pub fn routes() -> Routes {
    chat::routes()
        .merge(media::routes())
        .merge(paid::routes())
        .merge(responses::routes())
        .merge(messages::routes())
        .merge(files::routes())
        .merge(batches::routes())
        .merge(message_batches::routes())
        .merge(models::routes())
        .merge(route::routes())
        .merge(usage::routes())
}
