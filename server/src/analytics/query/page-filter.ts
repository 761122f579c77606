/** Which of a project's pages a question is about. */
export interface PageFilter {
  /** This one alone, as it stands in lists. */
  path?: string | undefined
  /** Those whose path holds this text, in whatever case. */
  contains?: string | undefined
}

/** A condition on `path`, whose texts travel as parameters. */
export const ofPages = ({ path, contains }: PageFilter): string =>
  [
    path !== undefined && 'path = {path: String}',
    contains !== undefined && 'positionCaseInsensitiveUTF8(path, {contains: String}) > 0',
  ]
    .filter((condition) => condition !== false)
    .join(' AND ') || 'true'

export const pageParams = ({ path, contains }: PageFilter): Record<string, string> => ({
  ...(path !== undefined && { path }),
  ...(contains !== undefined && { contains }),
})
