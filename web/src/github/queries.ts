import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

/** One for each GitHub that this installation works with. */
export const githubAppsQuery = queryOptions({
  queryKey: ['github-apps'],
  queryFn: ({ signal }) => client.github.apps({ signal }),
})
