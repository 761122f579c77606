/** Restricts a query to some of a project's pages. */
export interface PageFilter {
  /** Only this page, with its path as in lists of pages. */
  path?: string | undefined
  /** Only pages whose path contains this text, case-insensitively. */
  contains?: string | undefined
}

/** SQL for a condition on `path`. The texts are passed as parameters. */
export const buildPageCondition = ({ path, contains }: PageFilter): string =>
  [
    path !== undefined && 'path = {path: String}',
    contains !== undefined && 'positionCaseInsensitiveUTF8(path, {contains: String}) > 0',
  ]
    .filter((condition) => condition !== false)
    .join(' AND ') || 'true'

export const buildPageFilterParams = ({ path, contains }: PageFilter): Record<string, string> => ({
  ...(path !== undefined && { path }),
  ...(contains !== undefined && { contains }),
})
