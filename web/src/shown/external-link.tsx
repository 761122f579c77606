import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'

/** A link to a URL from another system, such as a code host. Only http(s) URLs become links. */
export function ExternalLink({ href, children, ...props }: { href: string; children: ReactNode } & AnchorProps) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" {...props}>
      {children}
    </Anchor>
  )
}
