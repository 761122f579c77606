import {
  IconActivityHeartbeat,
  IconBrandGit,
  IconChartLine,
  IconCpu,
  IconEye,
  IconFileDescription,
  IconKey,
  IconListCheck,
  IconPlugConnected,
  IconRobot,
  IconRoute,
  IconServer2,
  IconTimeline,
  IconUsers,
} from '@tabler/icons-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import styles from './navigation.module.css'

interface Place {
  to: Extract<LinkProps['to'], `/projects/$projectId${string}`>
  name: string
  Icon: typeof IconKey
  /** The pages below it are places of their own. */
  isExact?: true
}

const groups: readonly { caption?: string; places: readonly Place[] }[] = [
  {
    places: [
      { to: '/projects/$projectId', name: 'Get started', Icon: IconListCheck, isExact: true },
      { to: '/projects/$projectId/jobs', name: 'Jobs', Icon: IconRoute },
      { to: '/projects/$projectId/keys', name: 'API keys', Icon: IconKey },
    ],
  },
  {
    caption: 'Analytics',
    places: [
      { to: '/projects/$projectId/analytics', name: 'Overview', Icon: IconChartLine, isExact: true },
      { to: '/projects/$projectId/analytics/clients', name: 'Clients', Icon: IconEye },
      { to: '/projects/$projectId/analytics/sources', name: 'Sources', Icon: IconPlugConnected },
    ],
  },
  {
    caption: 'Settings',
    places: [
      { to: '/projects/$projectId/settings/repository', name: 'Repository', Icon: IconBrandGit },
      { to: '/projects/$projectId/settings/agent', name: 'Agent', Icon: IconRobot },
      { to: '/projects/$projectId/settings/models', name: 'Models', Icon: IconCpu },
      { to: '/projects/$projectId/settings/views', name: 'Page views', Icon: IconFileDescription },
      { to: '/projects/$projectId/settings/members', name: 'Members', Icon: IconUsers },
      { to: '/projects/$projectId/settings/runners', name: 'Runners', Icon: IconServer2 },
      { to: '/projects/$projectId/settings/audit', name: 'Audit log', Icon: IconTimeline },
      { to: '/projects/$projectId/settings/health', name: 'Health', Icon: IconActivityHeartbeat },
    ],
  },
]

/** Everything there is in a project, at one look. What a role may not change, the frame and the pages themselves say. */
export function ProjectNavigation({ projectId }: { projectId: string }) {
  return (
    <nav className={styles.navigation} aria-label="Project">
      {groups.map(({ caption, places }) => (
        <div key={caption ?? 'work'} className={styles.group}>
          {caption && <p className={styles.caption}>{caption}</p>}
          <ul aria-label={caption}>
            {places.map(({ to, name, Icon, isExact = false }) => (
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
