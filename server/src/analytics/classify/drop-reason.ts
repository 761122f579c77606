/** Why a request is not counted as a view. A closed list: the response to a sender has the number of drops per reason. */
export const dropReasons = [
  'not_get',
  'not_successful',
  'prefetch',
  'invalid_path',
  'path_too_long',
  'not_a_page',
  /** Reported by a source that does not count this kind of client in this project. The other source counts it. */
  'counted_elsewhere',
  'too_old',
] as const
export type DropReason = (typeof dropReasons)[number]
