import { ActionIcon, Box, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import styles from './copy-block.module.css'

/** Lines to copy. Long lines scroll inside the block, with the keyboard too. */
export function CopyBlock({ label, text }: { label: string; text: string }) {
  return (
    <Box className={styles.box}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be focusable */}
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
