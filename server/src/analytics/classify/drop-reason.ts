/** Why a request is not counted as a view. A closed list: a sender is told how many were dropped for which of these. */
export const dropReasons = [
  'not_get',
  'not_successful',
  'prefetch',
  'invalid_path',
  'path_too_long',
  'not_a_page',
  /** Seen by a source that does not count this kind of reader in this project: another one does. */
  'counted_elsewhere',
  'too_old',
] as const
export type DropReason = (typeof dropReasons)[number]
