/**
 * The first records of a cloud: a domain, roles, projects, users, and the catalog. Run at every start: what exists is
 * left alone, but service users get the password and endpoints the URL of the configuration.
 */
import type { Database } from '@fractus/database';
import type { Assignments, Assignment } from './assignments';
import { SYSTEM } from './assignments';
import type { CatalogRecords } from './catalog-records';
import { DEFAULT_DOMAIN, type Directory } from './directory';
import type { Passwords } from './passwords';
import type { RoleRecords } from './role-records';

export interface BootstrapOptions {
  adminPassword: string;
  /** Password of the user demo; defaults to the administrator's. */
  demoPassword?: string;
  /** Users of services and their passwords. */
  serviceUsers?: Readonly<Record<string, string>>;
  /** Default `RegionOne`. */
  region?: string;
  /** URL by service type, e.g. `{ compute: 'http://127.0.0.1:8774/v2.1' }`, or a URL for each interface. */
  endpoints: Readonly<Record<string, string | InterfaceUrls>>;
}

/** Where clients and services reach a service under different names; an interface that is not named has the public URL. */
export interface InterfaceUrls {
  readonly public: string;
  readonly internal?: string;
  readonly admin?: string;
}

export interface BootstrapParts {
  db: Database;
  directory: Directory;
  roles: RoleRecords;
  assignments: Assignments;
  catalog: CatalogRecords;
  passwords: Passwords;
}

/** Names that the services go by in the catalog. */
const SERVICE_NAMES: Readonly<Record<string, string>> = {
  identity: 'keystone',
  compute: 'nova',
  placement: 'placement',
  image: 'glance',
  network: 'neutron',
  'block-storage': 'cinder',
  volumev3: 'cinderv3',
  sharev2: 'manilav2',
  baremetal: 'ironic',
};

const ROLES = ['admin', 'manager', 'member', 'reader', 'service'] as const;
const IMPLIED = [
  ['admin', 'manager'],
  ['manager', 'member'],
  ['member', 'reader'],
] as const;

export async function bootstrapIdentity(parts: BootstrapParts, options: BootstrapOptions): Promise<void> {
  const { directory } = parts;
  if (!(await directory.domains.find(DEFAULT_DOMAIN))) {
    const defaults = { name: 'Default', description: 'The default domain', enabled: true, tags: [] };
    await directory.domains.create(defaults, { id: DEFAULT_DOMAIN, tokens_not_before: 0 });
  }
  const role = await seedRoles(parts);
  const project = {
    admin: await seedProject(parts, 'admin', 'Bootstrap project for initializing the cloud.'),
    demo: await seedProject(parts, 'demo', 'A project to try things in.'),
    service: await seedProject(parts, 'service', 'Users of services.'),
  };
  const [admin, demo] = await Promise.all([
    seedUser(parts, 'admin', options.adminPassword),
    seedUser(parts, 'demo', options.demoPassword ?? options.adminPassword),
  ]);
  const services = Object.entries(options.serviceUsers ?? {});
  const serviceIds = await Promise.all(services.map(([name, password]) => seedServiceUser(parts, name, password)));

  const user = (actorId: string, roleId: string, target: Assignment['target'], targetId: string): Assignment => ({
    actor: 'user',
    actorId,
    target,
    targetId,
    roleId,
    inherited: false,
  });
  const grants = [
    user(admin, role.admin, 'project', project.admin),
    user(admin, role.admin, 'project', project.demo),
    user(admin, role.admin, 'domain', DEFAULT_DOMAIN),
    user(admin, role.admin, 'system', SYSTEM),
    user(demo, role.member, 'project', project.demo),
    ...serviceIds.flatMap((id) => [
      user(id, role.admin, 'project', project.service),
      user(id, role.service, 'project', project.service),
    ]),
  ];
  await parts.db.transaction(async (tx) => {
    for (const grant of grants) await parts.assignments.grant(tx, grant);
  });
  await seedCatalog(parts, options);
}

async function seedRoles({ roles }: BootstrapParts): Promise<Record<(typeof ROLES)[number], string>> {
  const known = new Map((await roles.list()).filter((r) => r.domain_id === null).map((r) => [r.name, r.id]));
  const fresh = known.size === 0;
  const ids: Record<string, string> = {};
  for (const name of ROLES) ids[name] = known.get(name) ?? (await roles.create({ name })).id;
  // only on an empty cloud: an operator may have taken an implication away
  if (fresh) for (const [prior, implied] of IMPLIED) await roles.imply(ids[prior] as string, ids[implied] as string);
  return ids as Record<(typeof ROLES)[number], string>;
}

async function seedProject({ directory }: BootstrapParts, name: string, description: string): Promise<string> {
  const [known] = await directory.projects.list({ name, domain_id: DEFAULT_DOMAIN });
  return (known ?? (await directory.createProject({ name, description }, DEFAULT_DOMAIN))).id;
}

async function seedUser({ directory }: BootstrapParts, name: string, password: string): Promise<string> {
  const [known] = await directory.users.list({ name, domain_id: DEFAULT_DOMAIN });
  return (known ?? (await directory.createUser({ name, password }, DEFAULT_DOMAIN))).id;
}

async function seedServiceUser(parts: BootstrapParts, name: string, password: string): Promise<string> {
  const [known] = await parts.directory.users.list({ name, domain_id: DEFAULT_DOMAIN });
  if (!known) return (await parts.directory.createUser({ name, password }, DEFAULT_DOMAIN)).id;
  if (!(await parts.passwords.verify(password, known.password_hash)))
    await parts.directory.updateUser(known.id, { password });
  return known.id;
}

async function seedCatalog({ catalog }: BootstrapParts, options: BootstrapOptions): Promise<void> {
  const region = options.region ?? 'RegionOne';
  if (!(await catalog.regions.find(region))) await catalog.createRegion({ id: region });
  for (const [type, given] of Object.entries(options.endpoints)) {
    const [known] = await catalog.services.list({ type });
    const service = known ?? (await catalog.createService({ type, name: SERVICE_NAMES[type] ?? type }));
    const endpoints = await catalog.endpoints.list({ service_id: service.id, region_id: region });
    for (const kind of ['public', 'internal', 'admin'] as const) {
      const url = typeof given === 'string' ? given : (given[kind] ?? given.public);
      const found = endpoints.find((e) => e.interface_name === kind);
      if (!found) await catalog.createEndpoint({ service_id: service.id, interface: kind, url, region_id: region });
      else if (found.url !== url) await catalog.updateEndpoint(found.id, { url });
    }
  }
}
