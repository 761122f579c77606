import { AppShell, Box, Burger, Drawer, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useLocation, useParams, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { FailedSignInsAlert } from '../people/failed-sign-ins-alert.tsx'
import { ReauthenticationProvider } from '../people/reauthentication.tsx'
import { ProjectNavigation } from '../projects/project-navigation.tsx'
import { ProjectSwitcher } from '../projects/project-switcher.tsx'
import { InstanceSpendAlert } from '../spend/spend-alert.tsx'
import styles from './frame.module.css'
import { PersonMenu } from './person-menu.tsx'
import { useSession } from './session.ts'
import { Wordmark } from './wordmark.tsx'

/** The layout of every page for signed-in people. */
export function SignedInLayout() {
  const [isOpen, { open, close }] = useDisclosure()
  const { projectId } = useParams({ strict: false })
  const { pathname } = useLocation()
  const { person } = useSession()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes after every navigation
  useEffect(close, [pathname])
  useFocusAfterNavigation()
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
      <Drawer opened={isOpen && navigation !== undefined} onClose={close} size={264} title="Navigation">
        {navigation}
      </Drawer>
      <AppShell.Main id="content" tabIndex={-1} className={styles.main}>
        <Box maw={1120} mx="auto">
          <FailedSignInsAlert />
          <ReauthenticationProvider>
            {person?.isOperator && <InstanceSpendAlert />}
            <Outlet />
          </ReauthenticationProvider>
        </Box>
      </AppShell.Main>
    </AppShell>
  )
}

/**
 * After a navigation, moves the focus to the content, unless a field on the new page already has it. The first page keeps
 * the focus at its top.
 */
function useFocusAfterNavigation(): void {
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const previous = useRef(pathname)
  useEffect(() => {
    const isFirst = previous.current === undefined
    if (previous.current === pathname) return
    previous.current = pathname
    const content = document.getElementById('content')
    if (!isFirst && !content?.contains(document.activeElement)) content?.focus({ preventScroll: true })
  }, [pathname])
}
