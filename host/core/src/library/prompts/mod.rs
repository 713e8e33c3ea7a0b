//! Prompts: texts with arguments that clients show as commands.
//!
//! A prompt is a file `NAME.md`. Its front matter says what it is; its text is what the model is given, `{{argument}}` standing for
//! an argument's value. A line `+++ assistant` or `+++ user` begins another message, and a picture, a sound or a document beside
//! the prompt is shown by a line of its own, as Markdown shows pictures: `![what it is](picture.png)`, `![its URI](notes.txt)`.

mod body;
mod file;
mod prompt;

use std::path::Path;

pub use prompt::{Argument, Message, Prompt, PromptError, Rendered, Role};

use super::folder::{Folder, Found};
use super::front::MAX_TEXT_FILE;
use crate::document::DocumentError;

/// The ending of a prompt's file.
const ENDING: &str = ".md";

/// All prompts of a host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompts {
    prompts: Vec<Prompt>,
    refused: Vec<DocumentError>,
}

impl Prompts {
    /// Reads the prompts of a folder, and of the folders of toolsets below it. A folder that does not exist has none.
    ///
    /// Of two with the same name the first counts: those of the folder itself before those of toolsets, in the order of paths.
    pub fn load(folder: &Path) -> Self {
        let mut folder = Folder::list(folder);
        let mut prompts = Vec::<Prompt>::new();
        let files: Vec<Found> = folder.files.iter().filter(|file| file.name.ends_with(ENDING)).cloned().collect();
        for file in files {
            let read =
                load(&file, &mut folder).and_then(|prompt| match prompts.iter().find(|p| p.name == prompt.name) {
                    Some(first) => {
                        let message = format!("the name `{}` is taken by {}", prompt.name, first.file.display());
                        Err(DocumentError::whole(&file.path, message))
                    }
                    None => Ok(prompt),
                });
            match read {
                Ok(prompt) => prompts.push(prompt),
                Err(error) => folder.refused.push(error),
            }
        }
        prompts.sort_by(|a, b| a.name.cmp(&b.name));
        Self { prompts, refused: folder.refused }
    }

    /// All prompts, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = &Prompt> + Clone {
        self.prompts.iter()
    }

    /// What was refused, and why.
    pub fn refused(&self) -> &[DocumentError] {
        &self.refused
    }
}

fn load(file: &Found, folder: &mut Folder) -> Result<Prompt, DocumentError> {
    let text = folder.read_text(file, MAX_TEXT_FILE).map_err(|message| DocumentError::whole(&file.path, message))?;
    file::parse(file, &text, &mut |name| folder.attachment(file, name))
}
