import {
  IconActivityHeartbeat,
  IconBrandGit,
  IconChartLine,
  IconCoin,
  IconCpu,
  IconEye,
  IconFileDescription,
  IconInfinity,
  IconKey,
  IconListCheck,
  IconPlugConnected,
  IconRobot,
  IconRoute,
  IconServer2,
  IconTimeline,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import styles from './navigation.module.css'

interface NavigationItem {
  to: Extract<LinkProps['to'], `/projects/$projectId${string}`>
  name: string
  Icon: typeof IconKey
  /** Pages below it have their own items. */
  isExact?: true
}

const groups: readonly { caption?: string; items: readonly NavigationItem[] }[] = [
  {
    items: [
      { to: '/projects/$projectId', name: 'Get started', Icon: IconListCheck, isExact: true },
      { to: '/projects/$projectId/jobs', name: 'Jobs', Icon: IconRoute },
      { to: '/projects/$projectId/spend', name: 'Spend', Icon: IconCoin },
      { to: '/projects/$projectId/keys', name: 'API keys', Icon: IconKey },
    ],
  },
  {
    caption: 'Analytics',
    items: [
      { to: '/projects/$projectId/analytics', name: 'Overview', Icon: IconChartLine, isExact: true },
      { to: '/projects/$projectId/analytics/clients', name: 'Clients', Icon: IconEye },
      { to: '/projects/$projectId/analytics/sources', name: 'Sources', Icon: IconPlugConnected },
    ],
  },
  {
    caption: 'Settings',
    items: [
      { to: '/projects/$projectId/settings/repository', name: 'Repository', Icon: IconBrandGit },
      { to: '/projects/$projectId/settings/agent', name: 'Agent', Icon: IconRobot },
      { to: '/projects/$projectId/settings/models', name: 'Models', Icon: IconCpu },
      { to: '/projects/$projectId/settings/views', name: 'Page views', Icon: IconFileDescription },
      { to: '/projects/$projectId/settings/members', name: 'Members', Icon: IconUsers },
      { to: '/projects/$projectId/settings/runners', name: 'Runners', Icon: IconServer2 },
      { to: '/projects/$projectId/settings/ci', name: 'CI', Icon: IconInfinity },
      { to: '/projects/$projectId/settings/webhooks', name: 'Webhooks', Icon: IconWebhook },
      { to: '/projects/$projectId/settings/audit', name: 'Audit log', Icon: IconTimeline },
      { to: '/projects/$projectId/settings/health', name: 'Health', Icon: IconActivityHeartbeat },
    ],
  },
]

/** Lists all pages of a project for every role. `ProjectLayout` and the pages say what a role cannot change. */
export function ProjectNavigation({ projectId }: { projectId: string }) {
  return (
    <nav className={styles.navigation} aria-label="Project">
      {groups.map(({ caption, items }) => (
        <div key={caption ?? 'work'} className={styles.group}>
          {caption && <p className={styles.caption}>{caption}</p>}
          <ul aria-label={caption}>
            {items.map(({ to, name, Icon, isExact = false }) => (
              <li key={to}>
                <Link to={to} params={{ projectId }} activeOptions={{ exact: isExact }} className={styles.link}>
                  <Icon size={17} stroke={1.6} />
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
