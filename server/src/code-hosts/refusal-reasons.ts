import { maxChangedFiles, maxNewBytes } from './allow-list/allow-list.ts'
import type { ResultRefusalCode } from './bare-repository.ts'
import { maxBundleBytes } from './git/read-bundle.ts'

const formatMebibytes = (bytes: number) => `${bytes / 1024 ** 2} MiB`

/** For people and for the agent of the next turn. Shown after the path of the file, or alone if it concerns the whole result. */
export const refusalReasons: Readonly<Record<ResultRefusalCode, string>> = {
  // The location or the type of a file
  outside_docs_folder: 'only files in the docs folder may be changed',
  unsupported_file_type: 'only pages, images and navigation files may be changed',
  hidden_file: 'hidden files and folders must not be changed',
  ci_file: 'CI configuration must not be changed',
  codeowners: 'CODEOWNERS must not be changed',
  agent_instructions: 'instructions for AI agents must not be changed',
  git_configuration: 'git configuration must not be changed',
  dot_git: 'the name can be read as .git',
  executable_front_matter: 'the front matter is in a programming language; use YAML, TOML or JSON',
  symlink: 'symbolic links must not be added, changed or removed',
  submodule: 'submodules must not be added, changed or removed',
  executable: 'executable files must not be added, changed or removed',
  unsupported_mode: 'only regular files with mode 100644 are allowed',

  // The name of a new file
  path_traversal: 'the path contains an empty component, "." or ".."',
  path_too_long: 'the path is too long',
  path_too_deep: 'the path has too many folders',
  not_utf8: 'the name is not UTF-8',
  not_normalized: 'the name is not in Unicode normalization form NFC',
  control_character: 'the name contains a control character',
  unsafe_unicode: 'the name contains invisible or confusable Unicode characters',
  unsafe_character: 'the name contains a character that is unsafe on Windows or in a shell',
  reserved_name: 'the name is reserved on Windows',
  case_collision: 'the name differs from another one only in case or Unicode form',

  // The amount of changes
  too_many_files: `more than ${maxChangedFiles} files are changed`,
  too_many_directories: 'too many folders are changed',
  changes_too_large: `the new content is larger than ${formatMebibytes(maxNewBytes)}`,
  bundle_too_large: `the git bundle is larger than ${formatMebibytes(maxBundleBytes)}`,
  too_many_objects: 'the git bundle contains too many objects',
  object_too_large: 'the git bundle contains an object that is too large',
  unpacked_too_large: 'the git bundle is too large when unpacked',
  resource_limit_exceeded: 'unpacking the git bundle needs too much memory or time',

  // The format of the result: the runner is faulty or hostile
  not_a_bundle: 'the result is not a git bundle',
  wrong_base: 'the git bundle is not based on the commit that the runner reported',
  unexpected_refs: 'the git bundle must contain exactly one ref, HEAD',
  invalid_pack: 'the pack in the git bundle is invalid',
  invalid_objects: 'the git bundle contains invalid objects',
  invalid_tree: 'a directory is not a valid git tree',
  empty_directory: 'an empty directory is not allowed',
  missing_object: 'the contents are missing from the git bundle',
}
