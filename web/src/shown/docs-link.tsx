import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'

/** A page of `docs/`, without `.md`, or an example with its file name. */
export type DocsPage =
  | 'ci'
  | 'configuration'
  | 'github'
  | 'log-drains'
  | 'models'
  | 'people'
  | 'reading-page-views'
  | 'runners'
  | 'views'
  | 'webhooks'
  | `operations/${'backup' | 'health-and-logs' | 'quarantined-views' | 'sizing' | 'support' | 'tls-and-proxies' | 'upgrade'}`
  | `examples/${'cloudflare-worker' | 'next-middleware' | 'node'}.mjs`

/** Opens a page of the documentation, which every instance serves under `/docs`. */
export function DocsLink({ page, children, ...props }: { page: DocsPage; children: ReactNode } & AnchorProps) {
  return (
    <Anchor href={`/docs/${page}`} target="_blank" rel="noopener" {...props}>
      {children}
    </Anchor>
  )
}
