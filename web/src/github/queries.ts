import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

/** The GitHub Apps of this instance: one per GitHub server. */
export const githubAppsQuery = queryOptions({
  queryKey: ['github-apps'],
  queryFn: ({ signal }) => client.github.apps({ signal }),
})
