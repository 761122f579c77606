import { ColophonError } from '@colophon/sdk'
import { QueryClient } from '@tanstack/react-query'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A rejected request (4xx) would be rejected again. Network errors and 5xx responses are worth a retry.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ColophonError && error.status !== undefined && error.status < 500),
    },
  },
})
