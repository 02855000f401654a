<?php
// The hooks of WordPress that fixes use, for a front page: runs the pieces of the file that is named, and prints
// as JSON what they write into the head, which title they give, which fields they send, and whether the sitemap is on.

$hooks = array();

function add_action( $name, $call, $priority = 10 ) {
    add_filter( $name, $call, $priority );
}

function add_filter( $name, $call, $priority = 10 ) {
    global $hooks;
    $hooks[ $name ][] = $call;
}

function __return_true() {
    return true;
}

function is_front_page() {
    global $is_front_page;
    return $is_front_page;
}

function filtered( $name, $value ) {
    global $hooks;
    foreach ( $hooks[ $name ] ?? array() as $call ) {
        $value = call_user_func( $call, $value );
    }
    return $value;
}

error_reporting( E_ALL );
require $argv[1];

$found = array();
foreach ( array( true, false ) as $is_front_page ) {
    ob_start();
    filtered( 'template_redirect', null );
    filtered( 'wp_head', null );
    $found[] = array(
        'head'    => ob_get_clean(),
        'title'   => filtered( 'pre_get_document_title', '' ),
        'sitemap' => filtered( 'wp_sitemaps_enabled', false ),
    );
}
echo json_encode( $found );
