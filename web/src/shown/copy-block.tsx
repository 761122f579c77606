import { ActionIcon, Box, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import styles from './copy-block.module.css'

/** Lines to be copied as they are. What is too wide scrolls inside its own box, also by keyboard. */
export function CopyBlock({ label, text }: { label: string; text: string }) {
  return (
    <Box className={styles.box}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className={styles.lines} tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
            <ActionIcon
              className={styles.button}
              variant="default"
              onClick={copy}
              aria-label={copied ? 'Copied' : `Copy ${label}`}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Box>
  )
}
