import { changeRefusalReasons } from '../content-gate/refusal-reasons.ts'
import type { ResultRefusalCode } from './bare-repository.ts'
import { maxBundleBytes } from './git/read-bundle.ts'

const formatMebibytes = (bytes: number) => `${bytes / 1024 ** 2} MiB`

/** For people and for the agent of the next turn. Shown after the path of the file, or alone if it concerns the whole result. */
export const refusalReasons: Readonly<Record<ResultRefusalCode, string>> = {
  ...changeRefusalReasons,

  // The amount of changes
  unresolved_conflict: 'the file still contains conflict markers',
  not_shown_in_diff: 'a diff cannot show all of this, so nobody can approve it',
  path_too_deep: 'the path has too many folders',
  too_many_directories: 'too many folders are changed',
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
