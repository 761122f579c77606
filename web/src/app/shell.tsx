import { AppShell, Box, Burger, Drawer, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useLocation, useParams, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { FreshSessionProvider } from '../people/fresh-session.tsx'
import { ProjectNavigation } from '../projects/project-navigation.tsx'
import { ProjectSwitcher } from '../projects/project-switcher.tsx'
import styles from './frame.module.css'
import { PersonMenu } from './person-menu.tsx'
import { Wordmark } from './wordmark.tsx'

/** The frame of every page of people who are signed in. */
export function Shell() {
  const [isOpen, { open, close }] = useDisclosure()
  const { projectId } = useParams({ strict: false })
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever arrived somewhere has chosen; the drawer is in the way
  useEffect(close, [pathname])
  useFocusOnArrival()
  const navigation = projectId === undefined ? undefined : <ProjectNavigation projectId={projectId} />
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: 'md', collapsed: { mobile: true, desktop: navigation === undefined } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <AppShell.Header className={styles.header}>
        <Group h="100%" px="md" gap="xs" wrap="nowrap">
          {navigation && (
            <Burger
              opened={isOpen}
              onClick={open}
              hiddenFrom="md"
              size="sm"
              aria-label="Open navigation"
              aria-haspopup="dialog"
            />
          )}
          <Box visibleFrom="sm">
            <Wordmark />
          </Box>
          <Box hiddenFrom="sm">
            <Wordmark isShort={navigation !== undefined} />
          </Box>
          <ProjectSwitcher />
          <PersonMenu />
        </Group>
      </AppShell.Header>
      {navigation && (
        <AppShell.Navbar className={styles.navbar} visibleFrom="md" component="div">
          {navigation}
        </AppShell.Navbar>
      )}
      <Drawer opened={isOpen && navigation !== undefined} onClose={close} size={264} title="Go to">
        {navigation}
      </Drawer>
      <AppShell.Main id="content" tabIndex={-1} className={styles.main}>
        <Box maw={1120} mx="auto">
          <FreshSessionProvider>
            <Outlet />
          </FreshSessionProvider>
        </Box>
      </AppShell.Main>
    </AppShell>
  )
}

/**
 * Whoever followed a link wants to go on in what it led to: the focus goes there, unless a field of that page has taken it.
 * Whoever opens the first page starts at its top.
 */
function useFocusOnArrival(): void {
  const arrivedAt = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const before = useRef(arrivedAt)
  useEffect(() => {
    const isFirst = before.current === undefined
    if (before.current === arrivedAt) return
    before.current = arrivedAt
    const content = document.getElementById('content')
    if (!isFirst && !content?.contains(document.activeElement)) content?.focus({ preventScroll: true })
  }, [arrivedAt])
}
