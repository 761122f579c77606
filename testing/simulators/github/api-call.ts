/** The input and output of an operation. */
import type { RequiredPermission } from './access.ts'
import type { ApiResponse } from './api-error.ts'
import type { Caller } from './authenticate.ts'
import type { Repository } from './state.ts'
import type { SimulatorContext } from './webhook-event-emitter.ts'

/** The input of every operation. */
export interface OperationCall extends SimulatorContext {
  caller: Caller
  params: Record<string, string>
  query: Record<string, unknown>
  /** Already validated against the description. */
  body: Record<string, unknown>
  /** The requested URL, for links to other pages. */
  url: URL
}

export type RepositoryCall = OperationCall & { repository: Repository }

export type Operation =
  /** The handler checks the caller itself. */
  | { by: 'anyone'; handle: (call: OperationCall) => Promise<ApiResponse> | ApiResponse }
  /** Requires one of these permissions on the repository in the path. */
  | {
      by: 'repository'
      needs: readonly RequiredPermission[]
      handle: (call: RepositoryCall) => Promise<ApiResponse> | ApiResponse
    }

export type Operations = Record<string, Operation>

export const defineOpenOperation = (
  handle: (call: OperationCall) => Promise<ApiResponse> | ApiResponse,
): Operation => ({
  by: 'anyone',
  handle,
})

export const defineRepositoryOperation = (
  needs: RequiredPermission | readonly RequiredPermission[],
  handle: (call: RepositoryCall) => Promise<ApiResponse> | ApiResponse,
): Operation => ({ by: 'repository', needs: typeof needs === 'string' ? [needs] : needs, handle })

/** Returns one page of a list, and the `link` header for the others. Links use the repository's ID, as on GitHub. */
export function paginate<T>(
  items: readonly T[],
  call: OperationCall | RepositoryCall,
): { items: T[]; headers: Record<string, string> } {
  const { query, url, state } = call
  const path =
    'repository' in call
      ? url.pathname.replace(/\/repos\/[^/]+\/[^/]+/, `/repositories/${call.repository.id}`)
      : url.pathname
  const perPage = Math.min(Number(query.per_page ?? 30), 100)
  const page = Number(query.page ?? 1)
  const last = Math.max(1, Math.ceil(items.length / perPage))
  const links = [
    ...(page > 1 ? [['prev', page - 1] as const] : []),
    ...(page < last
      ? ([
          ['next', page + 1],
          ['last', last],
        ] as const)
      : []),
    ...(page > 1 ? [['first', 1] as const] : []),
  ].map(([name, number]) => {
    const target = new URL(path + url.search, state.url)
    target.searchParams.set('page', String(number))
    return `<${target}>; rel="${name}"`
  })
  return {
    items: items.slice((page - 1) * perPage, page * perPage),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  }
}
