/** Every kind of resource that the network service has. */
import type { Database } from '@fractus/database';
import { FloatingIps } from './floating-ips';
import type { Kind } from './kind';
import { Networks } from './networks';
import { Ports } from './ports';
import { Routers } from './routers';
import { SecurityGroupRules } from './security-group-rules';
import { SecurityGroups } from './security-groups';
import { Subnets } from './subnets';

export class Kinds {
  readonly networks: Networks;
  readonly subnets = new Subnets();
  readonly securityGroups: SecurityGroups;
  readonly securityGroupRules = new SecurityGroupRules();
  readonly ports: Ports;
  readonly routers: Routers;
  readonly floatingIps: FloatingIps;
  private readonly paths: ReadonlyMap<string, Kind>;

  constructor(readonly db: Database) {
    this.networks = new Networks(db);
    this.securityGroups = new SecurityGroups(db);
    this.ports = new Ports(db, this.securityGroups);
    this.routers = new Routers(db, this.ports);
    this.floatingIps = new FloatingIps(db, this.ports);
    const all = [
      this.networks,
      this.subnets,
      this.securityGroups,
      this.securityGroupRules,
      this.ports,
      this.routers,
      this.floatingIps,
    ];
    this.paths = new Map(all.map((kind) => [kind.path, kind as Kind]));
  }

  byPath(path: string): Kind | undefined {
    return this.paths.get(path);
  }

  all(): Kind[] {
    return [...this.paths.values()];
  }
}
