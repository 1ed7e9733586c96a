"""Disables mechanisms that drills test, to show that the drills then fail."""


def stop_confirming(sql) -> None:
    """Makes repeated requests, and others that change nothing, wait for no standby.

    Hearth reads the transaction's id, and writes a record if there is none. In new sessions of the
    API, a function of the same name always returns an id. Other commits still wait.
    """
    sql("""
        CREATE SCHEMA sabotage;
        CREATE FUNCTION sabotage.pg_current_xact_id_if_assigned() RETURNS xid8 LANGUAGE sql
            AS $$ SELECT '1'::xid8 $$;
        GRANT USAGE ON SCHEMA sabotage TO hearth_api;
        GRANT EXECUTE ON FUNCTION sabotage.pg_current_xact_id_if_assigned() TO hearth_api;
        ALTER ROLE hearth_api IN DATABASE hearth SET search_path = sabotage, pg_catalog, public""")


def confirm_again(sql) -> None:
    """Ends `stop_confirming`, for new sessions."""
    sql("""
        ALTER ROLE hearth_api IN DATABASE hearth RESET search_path;
        DROP SCHEMA sabotage CASCADE""")


def stop_waiting_for_readers(sql) -> None:
    """Makes changes wait for no standby that serves reads."""
    sql("""
        CREATE OR REPLACE FUNCTION app.standbys_in_use(OUT readers integer, OUT standbys bigint[])
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS
        $$ SELECT 0, '{}'::bigint[] $$""")
