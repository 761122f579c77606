import { isInFolder } from '../../site-generators/site-paths.ts'

/** Files that a project allows beside its docs: `openapi.yaml` is a file, `examples/` is everything in a folder. */
export const isAllowedPath = (path: string, allowedPaths: readonly string[]): boolean =>
  allowedPaths.some((allowed) => (allowed.endsWith('/') ? isInFolder(path, allowed.slice(0, -1)) : path === allowed))
