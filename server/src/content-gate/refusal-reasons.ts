import { type ChangeRefusalCode, maxChangedFiles, maxNewBytes } from './allow-list/allow-list.ts'
import type { ContentRefusalCode } from './content-refusal.ts'

/** Why a change is refused, for people and for the agent. Shown after the path of the file, or alone if it concerns the whole result. */
export const changeRefusalReasons: Readonly<Record<ChangeRefusalCode | ContentRefusalCode, string>> = {
  // The location or the type of a file
  outside_docs_folder: 'only files in the docs folders, and further paths that the project allows, may be changed',
  unsupported_file_type: 'only pages, images and the navigation may be changed',
  hidden_file: 'hidden files and folders must not be changed',
  ci_file: 'CI configuration must not be changed',
  codeowners: 'CODEOWNERS must not be changed',
  agent_instructions: 'instructions for AI agents must not be changed',
  git_configuration: 'git configuration must not be changed',
  dot_git: 'the name can be read as .git',
  symlink: 'symbolic links must not be added, changed or removed',
  submodule: 'submodules must not be added, changed or removed',
  executable: 'executable files must not be added, changed or removed',
  unsupported_mode: 'only regular files with mode 100644 are allowed',

  // The contents of a file
  active_content: 'a build or a browser would execute this, or it reads something outside of the page',
  unsafe_navigation: 'only literals in the navigation part of this file may change',
  active_svg: 'an SVG image may contain only shapes, text and styles',
  hidden_character: 'invisible and bidirectional characters must not be added',
  secret: 'this looks like a credential',
  not_text: 'the file is not UTF-8, or too large',
  inspection_failed: 'the contents could not be inspected',

  // The name of a new file
  path_traversal: 'the path contains an empty component, "." or ".."',
  path_too_long: 'the path is too long',
  not_utf8: 'the name is not UTF-8',
  not_normalized: 'the name is not in Unicode normalization form NFC',
  control_character: 'the name contains a control character',
  unsafe_unicode: 'the name contains invisible or confusable Unicode characters',
  unsafe_character: 'the name contains a character that is unsafe on Windows or in a shell',
  reserved_name: 'the name is reserved on Windows',
  case_collision: 'the name differs from another one only in case or Unicode form',

  // The amount of changes
  too_many_files: `more than ${maxChangedFiles} files are changed`,
  changes_too_large: `the new content is larger than ${maxNewBytes / 1024 ** 2} MiB`,
}
