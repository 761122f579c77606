import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'

/** A page of `docs/`, without `.md`, or an example with its file name. */
type DocsPage =
  | 'ci'
  | 'configuration'
  | 'github'
  | 'models'
  | 'operating'
  | 'people'
  | 'reading-page-views'
  | 'runners'
  | 'views'
  | 'webhooks'
  | `examples/${'cloudflare-worker' | 'next-middleware' | 'node'}.mjs`

/** Opens a page of the documentation, which every instance serves under `/docs`. */
export function DocsLink({ page, children, ...props }: { page: DocsPage; children: ReactNode } & AnchorProps) {
  return (
    <Anchor href={`/docs/${page}`} target="_blank" rel="noopener" {...props}>
      {children}
    </Anchor>
  )
}
