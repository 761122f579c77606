import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app/global.css'
import { queryClient } from './app/query-client.ts'
import { router } from './app/router.tsx'
import { redirectWhenSessionEnds } from './app/session-ended.ts'
import { exposeStyleNonce, readStyleNonce } from './app/style-nonce.ts'
import { theme } from './app/theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
exposeStyleNonce()
redirectWhenSessionEnds(queryClient, router)
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={readStyleNonce}>
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
