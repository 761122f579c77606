/**
 * Markdown of strangers: the agent's, the repository's. HTML in it is text, images are named and never loaded (their address
 * can carry away what the agent read), and a link leads to the web or to a mailbox, or nowhere.
 */
import { Anchor, Typography } from '@mantine/core'
import ReactMarkdown, { type Components } from 'react-markdown'

const mayLeadTo = /^(https?:\/\/|mailto:)/i

/** Under the headings of the page that it is shown in. */
const lowerHeadings = { h1: 'h4', h2: 'h5', h3: 'h6', h4: 'h6', h5: 'h6', h6: 'h6' } as const satisfies Components

const components: Components = {
  ...lowerHeadings,
  a: ({ href, children }) =>
    href ? (
      <Anchor
        href={href}
        inherit
        style={{ textDecoration: 'underline' }}
        target="_blank"
        rel="noopener noreferrer nofollow"
      >
        {children}
      </Anchor>
    ) : (
      <span>{children}</span>
    ),
  img: ({ alt }) => <em>[image{alt ? `: ${alt}` : ''}]</em>,
  // Wrapped: a box that scrolls sideways is out of reach on a phone and by keyboard.
  pre: ({ children }) => <pre style={{ whiteSpace: 'pre-wrap' }}>{children}</pre>,
}

export function SafeMarkdown({ text }: { text: string }) {
  return (
    <Typography style={{ overflowWrap: 'anywhere' }}>
      <ReactMarkdown urlTransform={(url) => (mayLeadTo.test(url) ? url : null)} components={components}>
        {text}
      </ReactMarkdown>
    </Typography>
  )
}
