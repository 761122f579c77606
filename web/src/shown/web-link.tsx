import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'

/** To an address that comes from elsewhere, such as a code host: only one of the web is a link. */
export function WebLink({ href, children, ...props }: { href: string; children: ReactNode } & AnchorProps) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" {...props}>
      {children}
    </Anchor>
  )
}
