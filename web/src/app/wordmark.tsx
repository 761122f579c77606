import { VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import styles from './wordmark.module.css'

/** A book's closing note was set in lines that taper to a point: that shape is the mark. */
const Mark = () => (
  <svg className={styles.mark} viewBox="0 0 24 24" aria-hidden="true">
    <path d="M3 3h18M3 7.5h18M6 12h12M9 16.5h6M12 21h.01" />
  </svg>
)

/** The name of the thing, and the way home. Where there is little room the mark stands alone. */
export function Wordmark({ isShort = false }: { isShort?: boolean }) {
  return (
    <Link to="/" className={styles.wordmark}>
      <Mark />
      {isShort ? <VisuallyHidden>Colophon</VisuallyHidden> : 'Colophon'}
    </Link>
  )
}
